/** The API client for websites. */
import { computed } from '@preact/signals';
import { Sites } from '../../../client/sites.ts';
import { api } from '../../shell/key.ts';

export const sitesClient = computed(() => new Sites(api.value));

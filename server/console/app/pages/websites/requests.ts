/** The API client for websites. */
import { computed } from '@preact/signals';
import { Sites } from '../../../../../client/sites.ts';
import { api } from '../../shell/key.ts';

export const sites = computed(() => new Sites(api.value));

/** What the MCP endpoint and its tools use. */
import type { AccountServices } from '../account/services.ts';
import type { Config } from '../config.ts';
import type { ImageServices } from '../images/services.ts';
import type { SiteServices } from '../sites/services.ts';

export type McpServices = AccountServices & ImageServices & SiteServices & { config: Pick<Config, 'corsOrigins'> };

/** Names the dialect, which is loaded with the driver. */
import { kitDialect } from '../sql-kit/index.ts';

export const trino = await kitDialect('trino');

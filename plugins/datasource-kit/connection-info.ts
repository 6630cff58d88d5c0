/** Describes a connection to others, without what logs in. */
import type { ConnectionInfo } from '../../kernel/index.ts';

export const connectionInfo = (
  dbType: ConnectionInfo['dbType'],
  { id, description }: Pick<ConnectionInfo, 'id' | 'description'>,
  maskedUrl: string,
  schema?: string,
): ConnectionInfo => ({
  id,
  dbType,
  maskedUrl,
  ...(schema !== undefined && { schema }),
  ...(description !== undefined && { description }),
});

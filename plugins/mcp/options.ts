/** Declares which browsers and names may reach the MCP endpoints. */
import { type Static, Type } from '../../kernel/index.ts';

export const McpOptions = Type.Object(
  {
    allowedHosts: Type.Array(Type.String({ pattern: '^[A-Za-z0-9._-]+$|^\\[[0-9A-Fa-f:.]+\\]$' }), {
      default: [],
      expected: 'a comma-separated list of host names',
      description:
        'host names, without a port, under which clients reach the server besides localhost; others in Host or Origin are refused',
    }),
  },
  { additionalProperties: false },
);
export type McpOptions = Static<typeof McpOptions>;

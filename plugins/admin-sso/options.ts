/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const AdminSsoOptions = Type.Object(
  {
    dnsServers: Type.Array(Type.String({ pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[0-9.]+|[0-9A-Fa-f:.]+)(:[0-9]{1,5})?$' }), {
      default: [],
      maxItems: 10,
      description: 'name servers that are asked for the TXT records of domains; by default those of the system',
    }),
  },
  { additionalProperties: false },
);
export type AdminSsoOptions = Static<typeof AdminSsoOptions>;

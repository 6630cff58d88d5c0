/** Describes the requests and answers of the IP allowlist. */
import type { Static } from '@sinclair/typebox';
import { Type } from '../../kernel/index.ts';
import { page, pageQuery, sortable } from '../admin-kit/index.ts';

const orNull = Type.Union([Type.String(), Type.Null()]);

export const Entry = Type.Object(
  {
    id: Type.String(),
    orgId: orNull,
    cidr: Type.String({
      description: 'Canonical: `10.0.0.0/8`, `2001:db8::/32`; a single address as `/32` or `/128`.',
    }),
    description: orNull,
    createdAt: Type.String({ format: 'date-time' }),
    createdBy: orNull,
  },
  { title: 'IpAllowlistEntry' },
);
export type IpAllowlistEntry = Static<typeof Entry>;

export const EntryReply = Type.Object({ entry: Entry });

export const EntryPage = page('entries', Entry);

export const NewEntry = Type.Object(
  {
    cidr: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'An IPv4 or IPv6 network or address: `203.0.113.0/24`, `2001:db8::/32`, `203.0.113.7`.',
    }),
    description: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
    force: Type.Optional(
      Type.Boolean({ description: 'true: also when the address that this request comes from is shut out.' }),
    ),
  },
  { additionalProperties: false },
);
export type NewEntry = Static<typeof NewEntry>;

export const EntryParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

export const DeleteQuery = Type.Object({
  force: Type.Boolean({
    default: false,
    description: 'true: also when the address that this request comes from is shut out by the entries that remain.',
  }),
});

export const ENTRY_ORDERS = sortable(
  {
    createdAt: [{ column: 'created_at' }, { column: 'id' }],
    cidr: [{ column: 'cidr', isText: true }, { column: 'id' }],
  },
  'createdAt',
);

export const PageQuery = Type.Object({ ...pageQuery({ limit: 50, max: 200 }), ...ENTRY_ORDERS.query });

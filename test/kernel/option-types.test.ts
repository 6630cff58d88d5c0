/** What the types of options refuse is compiled by `npm run types`: an expected error that does not come fails there. */
import { expect, it } from 'vitest';
import { definePlugin, Type } from '../../kernel/index.ts';
import { authByot } from '../../plugins/auth-byot/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { http } from '../../plugins/http/index.ts';

const closed = { additionalProperties: false };

const letters = definePlugin({
  name: 'letters',
  version: '1.0.0',
  type: 'delivery',
  description: 'Sends letters.',
  options: Type.Object(
    {
      from: Type.String({ description: 'sender' }),
      copies: Type.Integer({ default: 1, minimum: 1 }),
      color: Type.Optional(Type.Union([Type.Literal('red'), Type.Literal('blue')])),
      to: Type.Array(Type.Object({ name: Type.String(), express: Type.Boolean({ default: false }) }, closed)),
    },
    closed,
  ),
  setup: (_ctx, { copies }) => copies + 1,
});

it('required options must be given, at any depth', () => {
  // @ts-expect-error the connections are required
  datasourceSqlite();
  // @ts-expect-error a connection has a URL
  datasourceSqlite({ connections: [{ id: 'x' }] });
  // @ts-expect-error the issuer is required
  authByot({ jwksUrl: 'https://id.example.com/keys' });
  // @ts-expect-error `to` is required
  letters({ from: 'Ann' });
  // @ts-expect-error a receiver has a name
  letters({ from: 'Ann', to: [{ express: true }] });
  // @ts-expect-error no such colour
  letters({ from: 'Ann', to: [], color: 'green' });
  // @ts-expect-error no such option
  http({ prot: 80 });
});

it('what is optional or has a default may be left out', () => {
  const given = { from: 'Ann', to: [{ name: 'Bob' }] } as const;
  expect(letters({ ...given, color: undefined }).options).toEqual(given);
  expect(http().options).toBeUndefined();
  expect(http({ port: undefined, corsOrigins: ['*'] as readonly string[] }).options).toEqual({ corsOrigins: ['*'] });
});

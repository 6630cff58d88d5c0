/** Describes the answer of the route. */
import { type Static, Type } from '@sinclair/typebox';

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const Me = Type.Object(
  {
    user: Type.Union(
      [
        Type.Object({
          id: Type.String(),
          email: orNull('`null`: not known, such as that of an API key.'),
          name: orNull('Of an API key its name; `null`: not known.'),
        }),
        Type.Null(),
      ],
      { description: '`null`: nobody authenticates here.' },
    ),
    role: Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
      description: 'With a custom role, the one of the three that it stands nearest to.',
    }),
    rights: Type.Array(Type.String(), { description: 'Everything that the caller may do, as routes name it.' }),
    orgId: orNull('The active organization; `null`: none.'),
    organizations: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'To which the user belongs, by name; empty where users are not managed here.',
    }),
    mode: Type.String({ description: 'How the caller was authenticated: `none`, `api-key`, `byot`, `managed`.' }),
    areas: Type.Array(Type.String(), {
      description: 'Parts of the web console that this server has and the caller may see.',
    }),
    model: Type.Union(
      [
        Type.Object({
          provider: Type.String(),
          modelId: Type.String(),
          isOffline: Type.Boolean({ description: 'Questions are read without a language model.' }),
        }),
        Type.Null(),
      ],
      { description: "What answers the caller's questions; `null`: nothing can." },
    ),
    version: Type.String({ description: 'Version of Atlas.' }),
  },
  { title: 'Me' },
);
export type Me = Static<typeof Me>;

/** Describes the body of every error answer, for the interface description. */
import { Type } from '@sinclair/typebox';
import { errorCodes } from './errors.ts';

/** Place of a fault in a text that has lines, such as a YAML file. */
const place = { line: Type.Optional(Type.Integer()), column: Type.Optional(Type.Integer()) };

export const ErrorSchema = Type.Object(
  {
    error: Type.Union(
      Object.keys(errorCodes).map((code) => Type.Literal(code)),
      { description: 'Code of the error.' },
    ),
    code: Type.Optional(Type.String({ description: 'What the authentication library calls the error.' })),
    message: Type.String({ description: 'What went wrong and what to do next.' }),
    requestId: Type.String({ description: 'As in the header x-request-id.' }),
    retryAfterSeconds: Type.Optional(Type.Number({ description: 'When trying again makes sense.' })),
    details: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String(), ...place }), {
        description: 'What is wrong with the request, item by item.',
      }),
    ),
  },
  { title: 'Error', description: 'The body of every error.' },
);

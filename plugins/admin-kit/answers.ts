/** Describes answers that many routes share, and what is wrong with a field. */
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import { AtlasError } from '../../kernel/index.ts';

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** One of several words. */
export const oneOf = <const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  );

/** Answer of a command that has nothing else to tell. */
export const Success = Type.Object({ success: Type.Literal(true) }, { title: 'Success' });
export const SUCCEEDED = { body: { success: true } } as const;

/** `message` goes on behind the path of the field: "must be …". */
export const invalidField = (path: string, message: string, begin = '') =>
  new AtlasError(`${begin}${path} ${message}.`, { code: 'validation_error', details: [{ path, message }] });

/** The same, worded as what a schema finds wrong with a body. */
export const invalidBody = (path: string, message: string) =>
  invalidField(path, message, 'The request body is not valid: ');

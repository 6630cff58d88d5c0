/** Describes answers that many routes share. */
import { type TSchema, Type } from '@sinclair/typebox';

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Answer of a command that has nothing else to tell. */
export const Success = Type.Object({ success: Type.Literal(true) }, { title: 'Success' });
export const SUCCEEDED = { body: { success: true } } as const;

/** Adds the descriptions of options to declarations of plugins, so that editors show them where options are given. */
import type { TSchema } from '@sinclair/typebox';

/** The schema of a property of an object, or of the items of a list of objects. */
function propertyOf(schema: TSchema | undefined, name: string): TSchema | undefined {
  const object: TSchema | undefined = schema?.type === 'array' ? schema.items : schema;
  return object?.properties?.[name];
}

/** `declaration` with a comment above each option, in every type literal of `schema` that it holds. */
export function withOptionComments(declaration: string, schema: TSchema): string {
  /** Names of the options around a line, with their indentation. */
  const path: { readonly indent: number; readonly schema: TSchema | undefined }[] = [];
  return declaration.replace(
    /^( *)(\w+): (?=import\("@sinclair\/typebox"\))/gm,
    (line, indent: string, name: string) => {
      while ((path.at(-1)?.indent ?? -1) >= indent.length) path.pop();
      const option = propertyOf(path.length === 0 ? schema : path.at(-1)?.schema, name);
      path.push({ indent: indent.length, schema: option });
      return option?.description === undefined
        ? line
        : `${indent}/** ${option.description.replaceAll('*/', '*\\/')} */\n${line}`;
    },
  );
}

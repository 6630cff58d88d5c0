import { expect, it } from 'vitest';
import { Type } from '../kernel/index.ts';
import { withOptionComments } from '../scripts/option-comments.ts';

const schema = Type.Object({
  port: Type.Integer({ default: 1, description: 'where it listens' }),
  name: Type.String(),
  keys: Type.Array(Type.Object({ key: Type.String({ description: 'ends in */' }) })),
});

it('puts the description of each option above it, at any depth', () => {
  const type = (name: string) => `import("@sinclair/typebox").${name}`;
  const declaration = `export declare const http: Plugin<${type('TObject')}<{
    port: ${type('TInteger')} & {
        readonly default: 1;
    };
    name: ${type('TString')};
    keys: ${type('TArray')}<${type('TObject')}<{
        key: ${type('TString')};
    }>>;
}>>;
`;
  expect(withOptionComments(declaration, schema)).toBe(
    declaration
      .replace('    port:', '    /** where it listens */\n    port:')
      .replace('        key:', '        /** ends in *\\/ */\n        key:'),
  );
});

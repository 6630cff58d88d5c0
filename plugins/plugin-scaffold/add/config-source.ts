/** Finds in the source of a configuration where an import and an entry of `plugins` belong. */
import { stripTypeScriptTypes } from 'node:module';
import {
  type ArrayExpression,
  type Expression,
  type Identifier,
  type ImportDeclaration,
  type ObjectExpression,
  type Program,
  type Property,
  parse,
} from 'acorn';

/** A stretch of the source, as offsets. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface ConfigSource {
  /** The source without types, each character in its old place. */
  readonly code: string;
  readonly imports: readonly ImportDeclaration[];
  /** Where the code begins, behind comments at the top. */
  readonly codeStart: number;
  /** The list of plugins; or the expression that makes it, with the place where `plugins` is written. */
  readonly plugins:
    | { readonly kind: 'list'; readonly list: ArrayExpression }
    | { readonly kind: 'expression'; readonly expression: Place; readonly isShorthand: boolean };
  /** Every name that the file uses. */
  readonly names: ReadonlySet<string>;
}

/** The same text without types, each character in its old place. `undefined` when that cannot be done. */
function withoutTypes(text: string): string | undefined {
  const { emitWarning } = process;
  // Node would warn that the parser is experimental.
  process.emitWarning = () => {};
  try {
    const stripped = stripTypeScriptTypes(text);
    return stripped.length === text.length ? stripped : undefined;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The value of a constant at the top of the file, where the expression is its name. */
function resolved(program: Program, expression: Expression): Expression {
  if (expression.type !== 'Identifier') return expression;
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    const found = declaration.declarations.find(({ id }) => id.type === 'Identifier' && id.name === expression.name);
    if (found?.init) return found.init;
  }
  return expression;
}

function defaultExport(program: Program): Expression | undefined {
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      return declaration.type.endsWith('Declaration') ? undefined : (declaration as Expression);
    }
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    const found = statement.specifiers.find(({ exported }) => 'name' in exported && exported.name === 'default');
    if (found?.local.type === 'Identifier') return found.local;
  }
  return undefined;
}

/** `{ plugins: … }`, as it is exported or given to `defineConfig`. */
function configObject(program: Program): ObjectExpression | undefined {
  const exported = defaultExport(program);
  if (exported === undefined) return undefined;
  const value = resolved(program, exported);
  const [argument] = value.type === 'CallExpression' ? value.arguments : [value];
  if (argument === undefined || argument.type === 'SpreadElement') return undefined;
  const object = resolved(program, argument);
  return object.type === 'ObjectExpression' ? object : undefined;
}

function keyOf({ key }: Property): unknown {
  return key.type === 'Literal' ? key.value : (key as Identifier).name;
}

function pluginsOf(program: Program): ConfigSource['plugins'] | undefined {
  const properties = configObject(program)?.properties ?? [];
  // The last one counts where there are two; behind a spread, only what is written out is known.
  const property = properties.findLast(
    (one): one is Property =>
      one.type === 'Property' && !one.computed && keyOf(one) === 'plugins' && one.kind === 'init' && !one.method,
  );
  if (
    property === undefined ||
    properties.slice(properties.indexOf(property)).some(({ type }) => type === 'SpreadElement')
  ) {
    return undefined;
  }
  const value = resolved(program, property.value);
  if (value.type === 'ArrayExpression') return { kind: 'list', list: value };
  return { kind: 'expression', expression: property.value, isShorthand: property.shorthand };
}

/** `undefined`: it is written in a way in which the list of plugins cannot be found. */
export function readConfigSource(text: string, isTypeScript: boolean): ConfigSource | undefined {
  const code = isTypeScript ? withoutTypes(text) : text;
  if (code === undefined) return undefined;
  let program: Program;
  const names = new Set<string>();
  try {
    program = parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
      onToken: ({ type, start, end }) => {
        if (type.label === 'name') names.add(code.slice(start, end));
      },
    });
  } catch {
    return undefined;
  }
  const plugins = pluginsOf(program);
  if (plugins === undefined) return undefined;
  const imports = program.body.filter((statement) => statement.type === 'ImportDeclaration');
  return { code, imports, codeStart: program.body[0]?.start ?? text.length, plugins, names };
}

/** Reads Cube data models written in JavaScript: the object literals given to `cube()`, nothing is executed. */
import { stripTypeScriptTypes } from 'node:module';
import { type Expression, type ObjectExpression, parse, type TemplateLiteral } from 'acorn';
import type { Report } from './project.ts';

type Json = Record<string, unknown>;

const camelToSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

class NotLiteral extends Error {}

/** Maps whose keys are names that people chose. */
const NAMED = new Set(['dimensions', 'measures', 'joins', 'segments', 'pre_aggregations', 'hierarchies']);

/** The cubes with the keys that YAML has: `sql_table`, and lists whose items have a `name`. */
export function cubesOfScript(source: string, isTypeScript: boolean, report: Report): Json[] {
  const text = isTypeScript ? stripTypeScriptTypes(source) : source;
  const cubes: Json[] = [];
  for (const statement of parse(text, { ecmaVersion: 'latest', sourceType: 'module' }).body) {
    const call = statement.type === 'ExpressionStatement' ? statement.expression : undefined;
    if (call?.type !== 'CallExpression' || call.callee.type !== 'Identifier') {
      if (statement.type !== 'EmptyStatement')
        report(`line ${lineOf(text, statement.start)}`, 'only calls of cube() with literals are read');
      continue;
    }
    const [name, body] = call.arguments;
    const called = name?.type === 'Literal' || name?.type === 'TemplateLiteral' ? String(literalOf(name)) : '?';
    if (call.callee.name !== 'cube') report(`${call.callee.name} ${called}`, 'only cubes are read');
    else if (body?.type === 'ObjectExpression')
      cubes.push({ name: called, ...objectOf(body, `cube ${called}`, report) });
    else report(`cube ${called}`, 'its definition is not an object');
  }
  return cubes;
}

const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

function objectOf(node: ObjectExpression, label: string, report: Report): Json {
  const object: Json = {};
  for (const property of node.properties) {
    const key = property.type === 'Property' ? keyOf(property.key as Expression, property.computed) : undefined;
    if (property.type !== 'Property' || key === undefined) {
      report(label, 'a computed or spread property is not read');
      continue;
    }
    const name = camelToSnake(key);
    const value = property.value as Expression;
    try {
      object[name] =
        NAMED.has(name) && value.type === 'ObjectExpression'
          ? named(value, `${label}.${key}`, report)
          : literalOf(value);
    } catch (error) {
      if (!(error instanceof NotLiteral)) throw error;
      report(`${label}.${key}`, 'it is computed by a program');
    }
  }
  return object;
}

function named(node: ObjectExpression, label: string, report: Report): Json[] {
  return node.properties.flatMap((property) => {
    const name = property.type === 'Property' ? keyOf(property.key as Expression, property.computed) : undefined;
    if (property.type !== 'Property' || name === undefined || property.value.type !== 'ObjectExpression') {
      report(label, 'a part that is no literal is not read');
      return [];
    }
    return [{ name, ...objectOf(property.value, `${label}.${name}`, report) }];
  });
}

function keyOf(key: Expression, isComputed: boolean): string | undefined {
  if (isComputed) return undefined;
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}

function literalOf(node: Expression): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'TemplateLiteral':
      return templateText(node);
    case 'ArrayExpression':
      return node.elements.map((element) => {
        if (element === null || element.type === 'SpreadElement') throw new NotLiteral();
        return literalOf(element);
      });
    case 'ObjectExpression':
      return objectOf(node, '', () => {
        throw new NotLiteral();
      });
    case 'UnaryExpression':
      if (node.operator === '-' && node.argument.type === 'Literal') return -Number(node.argument.value);
      throw new NotLiteral();
    case 'Identifier':
      // `dimensions: [status]` of a pre-aggregation names a member.
      return node.name;
    case 'MemberExpression':
      return memberText(node);
    default:
      throw new NotLiteral();
  }
}

/** As in YAML: `${CUBE}.id` becomes `{CUBE}.id`, `${Orders.total}` becomes `{Orders.total}`. */
function templateText({ quasis, expressions }: TemplateLiteral): string {
  return quasis
    .map(({ value }, index) => {
      const inserted = expressions[index];
      return `${value.cooked ?? value.raw}${inserted === undefined ? '' : `{${memberText(inserted)}}`}`;
    })
    .join('');
}

function memberText(node: Expression): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier') {
    return `${memberText(node.object as Expression)}.${node.property.name}`;
  }
  throw new NotLiteral();
}

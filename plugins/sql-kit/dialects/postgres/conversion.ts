/** Holds what converting a statement of the server's parser needs: positions, depth, nested parts and refusals. */
import type { Node, SelectStmt } from 'libpg-query';
import type { Expr, Select } from '../../ast/tree.ts';
import { positionAt, type RefusalRule, SqlRefusal } from '../../parse/errors.ts';
import { unknownField } from './known-fields.ts';

/** Deepest nesting of expressions and subqueries; keeps every later walk of the tree clear of the stack's end. */
const MAX_DEPTH = 220;

/** Converters of what stands inside itself: an expression in a SELECT in an expression. */
export interface NestedConverters {
  /** Throws `SqlRefusal` for every node that is not known. */
  expression(node: Node | undefined, conversion: Conversion): Expr;
  /** Throws `SqlRefusal` for everything that is not a plain reading SELECT. */
  select(node: SelectStmt, conversion: Conversion): Select;
}

/** A statement while its tree is converted: where nodes stand, how deep it is, and how to refuse. */
export class Conversion {
  readonly text: string;
  readonly #converters: NestedConverters;
  readonly #offsets: Uint32Array | undefined;
  readonly #shift: number;
  #depth = 0;

  /** `prefixLength`: characters that were put before the text for the parser. */
  constructor(text: string, converters: NestedConverters, prefixLength = 0) {
    this.text = text;
    this.#converters = converters;
    this.#shift = prefixLength;
    const size = Buffer.byteLength(text);
    // Where each character is one byte there is nothing to translate.
    this.#offsets = size === text.length ? undefined : offsetsOf(text, size);
  }

  /** Converts an expression. Throws `SqlRefusal` for every node that is not known. */
  expression(node: Node | undefined): Expr {
    return this.#converters.expression(node, this);
  }

  /** Converts a SELECT. Throws `SqlRefusal` for everything that is not a plain reading one. */
  select(node: SelectStmt): Select {
    return this.#converters.select(node, this);
  }

  /** The server counts bytes; everything here counts UTF-16 units. */
  at(location: number | undefined): number {
    const byte = Math.max((location ?? 0) - this.#shift, 0);
    return this.#offsets === undefined ? byte : (this.#offsets[byte] ?? this.text.length);
  }

  /** One level further in; `leave` follows unless something throws. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      throw this.refuse('size', 'The statement is nested too deeply', 0, 'Use WITH to name the inner parts.');
    }
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** The node, all of whose fields are known. */
  known<T extends object>(kind: string, node: T, location?: number): T {
    const field = unknownField(kind, node);
    if (field === undefined) return node;
    throw this.unknown(`${kind}.${field}`, location);
  }

  /** The one kind of a node and what it holds. */
  kindOf(node: Node): [kind: string, value: never] {
    for (const kind in node) return [kind, (node as Record<string, unknown>)[kind] as never];
    throw this.unknown('an empty node', undefined);
  }

  unknown(what: string, location: number | undefined): SqlRefusal {
    return this.refuse('syntax', `The statement uses syntax that is not allowed here, ${what}`, this.at(location));
  }

  refuse(rule: RefusalRule, what: string, at: number, hint?: string): SqlRefusal {
    return new SqlRefusal(rule, what, positionAt(this.text, at), hint);
  }
}

/** For each byte of the text, which has `size` of them in UTF-8, the UTF-16 unit it belongs to. */
function offsetsOf(text: string, size: number): Uint32Array {
  const offsets = new Uint32Array(size + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length; ) {
    const code = text.codePointAt(unit)!;
    const length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    offsets.fill(unit, byte, byte + length);
    byte += length;
    unit += code < 0x10000 ? 1 : 2;
  }
  offsets[byte] = text.length;
  return offsets;
}

/** The text of a name. */
export function nameOf(node: Node, conversion: Conversion): string {
  if ('String' in node) return node.String.sval ?? '';
  throw conversion.unknown('a name of several parts', undefined);
}

export function namesOf(nodes: readonly Node[] | undefined, conversion: Conversion): string[] {
  const names: string[] = [];
  if (nodes !== undefined) for (const node of nodes) names.push(nameOf(node, conversion));
  return names;
}

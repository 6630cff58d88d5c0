/** Splits statements into tokens as GoogleSQL's documentation describes under "Lexical structure and syntax". */
import { isStable } from '../../ast/names.ts';
import { BYTE_ORDER_MARK, isDigit, isSpace, isWordStart, type Lexer } from '../../parse/lexer.ts';
import { quotedText, textPrefix } from './literals.ts';

const [BACKSPACE, TAB_DOWN, HASH, STAR, MINUS, DOT, SLASH, BACKTICK] = [8, 11, 35, 42, 45, 46, 47, 96];

/** Longest first, so that the first that fits is the one that is meant. */
const OPERATORS = ['|>', '||', '=>', '<<', '>>', '<=', '>=', '<>', '!='].concat([...'+-*/&|^~<>=(),.;[]']);

/** Takes the next token; comments do not nest, and both ends of a line end a comment. */
export function bigqueryToken(lexer: Lexer, code: number): void {
  const { text, offset } = lexer;
  const next = text.charCodeAt(offset + 1);
  const prefix = textPrefix(text, offset);
  if (isSpace(code) || code === BACKSPACE || code === TAB_DOWN || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (prefix !== undefined) quotedText(lexer, prefix);
  else if (isWordStart(code)) lexer.plainWord('Names with other than plain letters stand in backticks.');
  else if (isDigit(code) || (code === DOT && isDigit(next))) number(lexer);
  else if (code === BACKTICK) name(lexer);
  else if (code === HASH || (code === MINUS && next === MINUS)) {
    lexer.offset = /[\r\n]|$/.exec(text.slice(offset))!.index + offset;
  } else if (code === SLASH && next === STAR) lexer.closedComment();
  else operator(lexer);
}

/** A name in backticks: no name of a table, column or project holds a backslash, which would begin an escape. */
function name(lexer: Lexer): void {
  const { text, offset } = lexer;
  const end = text.indexOf('`', offset + 1);
  if (end === -1) throw lexer.refuse('syntax', 'The quoted name is not closed', offset, 'Close it with `.');
  const value = text.slice(offset + 1, end);
  if (value === '') throw lexer.refuse('syntax', 'A name is empty', offset);
  if (/[\\\p{Cc}\u2028\u2029]/u.test(value)) {
    throw lexer.refuse('syntax', 'A name holds a backslash or the end of a line', offset, 'Choose another name.');
  }
  if (!isStable(value)) {
    const hint = 'Write its letters beyond A to Z in lower case.';
    throw lexer.refuse('syntax', `The name "${value.slice(0, 40)}" could be taken for another one`, offset, hint);
  }
  lexer.push('name', value, end + 1);
}

/** `12`, `1.5e-3`, `.5`, `0x1F`; or a part of a project's name with dashes, which only a table may have. */
function number(lexer: Lexer): void {
  const { text, offset } = lexer;
  const part = /^\d+(?=[a-z_]\w*[-.]|-\w|\.[a-z_`])\w*/i.exec(text.slice(offset, offset + 64))?.[0];
  if (part !== undefined && isDashed(lexer)) {
    lexer.push('word', part, offset + part.length);
    return;
  }
  lexer.number();
  if (lexer.tokens.at(-1)!.value.includes('_'))
    throw lexer.refuse('syntax', 'The digits of a number stand together', offset);
}

/** Whether a word and a dash stand right before, as in `my-project-1.sales.orders`. */
function isDashed({ tokens, offset }: Lexer): boolean {
  const [before, dash] = tokens.slice(-2);
  return dash?.value === '-' && dash.end === offset && before?.kind === 'word' && before.end === dash.start;
}

const HINTS: Readonly<Record<string, string>> = {
  ':': 'Write CAST(value AS type) in place of value::type.',
  '%': 'Write MOD(a, b).',
  '!': 'Write NOT.',
  '{': 'Write STRUCT(1 AS a) or JSON \'{"a": 1}\'.',
};

/** How many brackets of types such as `ARRAY<STRUCT<a INT64>>` are open: in these no two signs are one. */
const openTypes = new WeakMap<Lexer, number>();

function operator(lexer: Lexer): void {
  const { text, offset, tokens } = lexer;
  const char = text.charAt(offset);
  const depth = openTypes.get(lexer) ?? 0;
  const opensType = char === '<' && /^(?:array|struct|range)$/i.test(tokens.at(-1)?.value ?? '');
  const isOfType = opensType || (depth > 0 && char === '>');
  if (isOfType) openTypes.set(lexer, depth + (opensType ? 1 : -1));
  const sign = isOfType ? char : OPERATORS.find((one) => text.startsWith(one, offset));
  if (sign === '|>') {
    const hint = 'Write SELECT … FROM … WHERE … in place of the pipe.';
    throw lexer.refuse('syntax', 'Pipe syntax is not read here', offset, hint);
  }
  if (sign !== undefined) lexer.push('operator', sign, offset + sign.length);
  else if ('?@'.includes(char)) {
    const what = char === '?' ? 'Parameters have no value here' : 'Parameters and system variables are not read here';
    throw lexer.refuse('parameter', what, offset, 'Write the value itself.');
  } else throw lexer.refuse('syntax', `Unexpected character ${JSON.stringify(char)}`, offset, HINTS[char]);
}

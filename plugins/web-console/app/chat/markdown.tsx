/**
 * Shows Markdown as elements. No HTML is ever made of it: tags are text, images are their alternative text, and links
 * lead where they say, to the web or to a mail address alone.
 */
import { Lexer, type Token, type Tokens } from 'marked';
import { createContext, Fragment, memo, type ReactNode, useContext, useMemo } from 'react';
import { visibleNodes } from '../ui/shown-text.tsx';
import styles from './markdown.module.css';

/** A text of the model as it is read; line breaks and tabs are where they belong. */
export const answerNodes = (text: string): ReactNode => visibleNodes(text, '\n\t');

/** How plain text is shown, such as with its numbers as buttons. */
export const TextView = createContext(answerNodes);

const LINK = /^(?:https?:|mailto:)/i;
/** Deeper lists and quotes are shown as text. */
const MAX_DEPTH = 12;

function Text({ text }: { readonly text: string }): ReactNode {
  return useContext(TextView)(text);
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  if (!LINK.test(href) || !URL.canParse(href)) return children;
  const { host, pathname, protocol } = new URL(href);
  return (
    <>
      <a href={href} rel="noopener noreferrer nofollow" target="_blank">
        {/* A click on a number must not open what the text links to. */}
        <TextView value={answerNodes}>{children}</TextView>
      </a>
      <span className={styles.host}> ({protocol === 'mailto:' ? pathname : host})</span>
    </>
  );
}

function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, index) => <Fragment key={index}>{inlineToken(token, depth + 1)}</Fragment>);
}

function inlineToken(token: Token, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return answerNodes(token.raw);
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{inline(token.tokens, depth)}</em>;
    case 'del':
      return <del>{inline(token.tokens, depth)}</del>;
    case 'codespan':
      return <code>{answerNodes(token.text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={token.href}>{inline(token.tokens, depth)}</Link>;
    case 'image':
      return <Text text={token.text} />;
    case 'text':
      return token.tokens === undefined ? <Text text={String(token.text)} /> : inline(token.tokens, depth);
    case 'escape':
      return token.text;
    default:
      return <Text text={token.raw} />;
  }
}

function Table({ header, rows, align }: Tokens.Table): ReactNode {
  const cell = ({ tokens }: Tokens.TableCell, index: number, Tag: 'td' | 'th') => (
    <Tag key={index} data-align={align[index] ?? undefined} scope={Tag === 'th' ? 'col' : undefined}>
      {inline(tokens, 0)}
    </Tag>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <div className={styles.scroll} tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map((head, index) => cell(head, index, 'th'))}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>{row.map((data, index) => cell(data, index, 'td'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, index) => <Block key={index} token={token} depth={depth} />);
}

/** A block that did not change is not made again while the text grows. */
const Block = memo(BlockView, (before, after) => before.token.raw === after.token.raw && before.depth === after.depth);

function BlockView({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  if (depth > MAX_DEPTH) return <p>{answerNodes(token.raw)}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <p className={styles.heading}>{inline(token.tokens, depth)}</p>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard
        <pre tabIndex={0}>
          <code>{answerNodes(token.text)}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const shown = items.map((item, index) => <li key={index}>{blocks(item.tokens, depth + 1)}</li>);
      return ordered ? <ol start={Number(start) || 1}>{shown}</ol> : <ul>{shown}</ul>;
    }
    case 'table':
      return <Table {...(token as Tokens.Table)} />;
    case 'text':
      return token.tokens === undefined ? <Text text={token.text} /> : inline(token.tokens, depth);
    case 'paragraph':
      return <p>{inline(token.tokens, depth)}</p>;
    default:
      return <p>{answerNodes(token.raw)}</p>;
  }
}

/** From here on a line is a rule, such as `- - -`, and nests nothing. */
const RULE = '([-*])(?:[ \\t]*\\1)+[ \\t]*$';
const LIST_MARK = '(?:[-*+]|\\d{1,9}[.)])(?=[ \\t])';
/** A line that is nested so deeply that the lexer, which calls itself for each level, would end. */
const TOO_DEEP = new RegExp(`^(?:[ \\t]*(?!${RULE})(?:>|${LIST_MARK})){20}`, 'm');

/** In one paragraph or cell: marks are sought from each to the end, and in a long word the end of an address. */
const MAX_MARKS = 500;
const MARK = /[*_~[]/g;
const LONG_WORD = /\S{5000}/;

/** A paragraph that no person would write is one text, as it is. */
class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if ((src.match(MARK)?.length ?? 0) <= MAX_MARKS && !LONG_WORD.test(src)) return super.inlineTokens(src, tokens);
    tokens.push({ type: 'text', raw: src, text: src, escaped: false });
    return tokens;
  }
}

/** `undefined` for what is no Markdown that a person would write. */
function tokensOf(text: string): readonly Token[] | undefined {
  if (TOO_DEEP.test(text)) return undefined;
  try {
    return new BoundedLexer({ gfm: true, breaks: true }).lex(text);
  } catch {
    return undefined;
  }
}

export function Markdown({ text }: { readonly text: string }): ReactNode {
  const tokens = useMemo(() => tokensOf(text), [text]);
  if (tokens === undefined) return <p className={styles.plain}>{answerNodes(text)}</p>;
  return <div className={styles.text}>{blocks(tokens, 0)}</div>;
}

/**
 * Colours keys and comments of YAML, and indents a new line. A whole parser would add a tenth to the size of the editor; what is
 * wrong with a file, the server says.
 */
import { indentService } from '@codemirror/language';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const INDENT = 2;
const LEAD = /^\s*(?:-\s+)*/;
/** A list or map follows, or a text of several lines. */
const OPENS = /(?::|:\s+[>|][+-]?)\s*$/;

const KEY = Decoration.mark({ class: 'yaml-key' });
const COMMENT = Decoration.mark({ class: 'yaml-comment' });

const decorator = new MatchDecorator({
  regexp: /(^\s*(?:-\s+)*|[{,]\s*)([\w-]+)(?=:(?:\s|$))|(?:^|\s)#.*/g,
  decorate(add, from, to, match) {
    const [, lead] = match;
    if (lead === undefined) add(from, to, COMMENT);
    else add(from + lead.length, to, KEY);
  },
});

class Colours {
  shown: DecorationSet;

  constructor(view: EditorView) {
    this.shown = decorator.createDeco(view);
  }

  update(update: ViewUpdate): void {
    this.shown = decorator.updateDeco(update, this.shown);
  }
}

/** The column of the line below `line`: that of its key, or further in. */
export function columnBelow(line: string): number {
  const [lead = ''] = LEAD.exec(line) ?? [];
  return lead.length + (OPENS.test(line) ? INDENT : 0);
}

export const YAML = [
  ViewPlugin.fromClass(Colours, { decorations: ({ shown }) => shown }),
  indentService.of((context, at) => columnBelow(context.lineAt(at, -1).text)),
];

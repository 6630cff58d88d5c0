/** Makes the text editor for YAML: keys, completion, problems in place. */
import {
  acceptCompletion,
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { lintGutter, nextDiagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  showPanel,
} from '@codemirror/view';
import { visibleText } from '../../../../../text-kit/index.ts';
import { CONSOLE_THEME } from './editor-theme.ts';
import { HIDDEN_CHARACTERS_SHOWN } from './hidden-characters.ts';
import { type FilePlace, rangeOf } from './problem-range.ts';
import type { Suggested, WritingPlace } from './suggestions.ts';
import { YAML } from './yaml-language.ts';

export interface FileProblem extends FilePlace {
  readonly message: string;
}

export interface YamlViewOptions {
  readonly parent: ShadowRoot;
  readonly text: string;
  /** The name of the text field. */
  readonly label: string;
  readonly hint: string;
  readonly isReadOnly: boolean;
  onChange(text: string): void;
  suggest(where: WritingPlace, isAsked: boolean): Promise<Suggested | undefined>;
}

const HINT_ID = 'hint';

/** Shown below the text, and read out with its name. */
function hintPanel(hint: string): Extension {
  return showPanel.of(() => {
    const dom = document.createElement('div');
    const line = document.createElement('p');
    line.id = HINT_ID;
    line.textContent = hint;
    dom.append(line);
    return { dom };
  });
}

function* linesAbove(doc: Text, from: number): Iterable<string> {
  for (const part of doc.iterRange(from, 0)) if (part !== '\n') yield part;
}

function completionSource(suggest: YamlViewOptions['suggest']): CompletionSource {
  return async ({ state, pos, explicit }) => {
    const { doc } = state;
    const { from, text } = doc.lineAt(pos);
    const above = linesAbove(doc, from);
    const found = await suggest({ line: text.slice(0, pos - from), above, text: () => doc.toString() }, explicit);
    if (found === undefined) return null;
    const options = found.options.map(({ label, text: apply, detail }) => ({
      label,
      displayLabel: visibleText(label),
      apply,
      ...(detail !== undefined && { detail: visibleText(detail) }),
    }));
    return { from: pos - found.typed.length, options, validFor: /^[\w.-]*$/ };
  };
}

/** What the editor and the view of changes have in common. */
export const sharedExtensions = (label: string, attributes: Readonly<Record<string, string>> = {}): Extension => [
  CONSOLE_THEME,
  YAML,
  HIDDEN_CHARACTERS_SHOWN,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': visibleText(label), tabindex: '0', ...attributes }),
];

/** The browser's own way to type over several lines writes inline styles, which the policy of the page refuses. */
const TYPED_OVER_LINES = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { doc, selection } = view.state;
    const { from, to } = selection.main;
    if (event.inputType !== 'insertText' || event.data === null || doc.lineAt(from).to >= to) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

const editing = ({ onChange, suggest, hint }: YamlViewOptions): Extension => [
  history(),
  TYPED_OVER_LINES,
  drawSelection(),
  indentUnit.of('  '),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  autocompletion({ override: [completionSource(suggest)], icons: false }),
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    { key: 'Tab', run: acceptCompletion },
    ...historyKeymap,
    { key: 'F8', run: nextDiagnostic },
    ...defaultKeymap,
    indentWithTab,
  ]),
  hintPanel(hint),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onChange(state.doc.toString());
  }),
];

export function createYamlView(options: YamlViewOptions): EditorView {
  const { parent, text, label, isReadOnly } = options;
  const attributes: Readonly<Record<string, string>> = isReadOnly
    ? { 'aria-readonly': 'true' }
    : { 'aria-describedby': HINT_ID };
  const extensions = [
    lineNumbers(),
    lintGutter(),
    sharedExtensions(label, attributes),
    isReadOnly ? EditorState.readOnly.of(true) : editing(options),
  ];
  return new EditorView({ doc: text, parent, root: parent, extensions });
}

/** Marks the problems in the text. */
export function markProblems(view: EditorView, problems: readonly FileProblem[]): void {
  const { doc } = view.state;
  const diagnostics = problems.map((problem) => ({
    ...rangeOf(doc, problem),
    severity: 'error' as const,
    message: visibleText(problem.message),
  }));
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Puts the cursor there. */
export function goTo(view: EditorView, place: FilePlace): void {
  const { from } = rangeOf(view.state.doc, place);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  view.focus();
}

/** Another text takes the place of the present one; that can be undone. */
export function replaceText(view: EditorView, text: string): void {
  const { doc } = view.state;
  if (doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
}

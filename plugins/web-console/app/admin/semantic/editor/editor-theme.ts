/** Gives the editor the colours and fonts of the console, whose custom properties reach into its shadow root. */
import { EditorView } from '@codemirror/view';

const box = { border: '1px solid var(--control-line)', borderRadius: 'var(--radius)' };
const raised = { ...box, backgroundColor: 'var(--raised)', color: 'var(--text)' };

export const CONSOLE_THEME = EditorView.theme({
  '&': { ...box, backgroundColor: 'var(--background)', color: 'var(--text)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.5', maxHeight: '32rem', overflow: 'auto' },
  '.cm-content': { minHeight: '8rem', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderColor: 'var(--line)' },
  '.cm-gutter-lint': { width: '1rem' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'var(--mark)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'var(--mark)' },
  '.cm-content ::selection': { backgroundColor: 'var(--mark)' },
  '.yaml-key': { color: 'var(--accent)' },
  '.yaml-comment': { color: 'var(--muted)', fontStyle: 'italic' },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderColor: 'var(--line)' },
  '.cm-panels p': { margin: '0', padding: 'var(--space-1) var(--space-3)', fontFamily: 'var(--font)' },
  '.cm-tooltip': raised,
  '.cm-diagnosticText': { overflowWrap: 'anywhere' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-code)', maxWidth: 'min(30rem, 90vw)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-changedLine': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-insertedLine, .cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-changedLine::before': { content: '"+ "', color: 'var(--accent)', fontWeight: '600' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-soft)', color: 'var(--text)' },
  // All lines of a deletion are made at once, however many.
  '.cm-deletedLine': { contentVisibility: 'auto', containIntrinsicHeight: '1.5em' },
  '.cm-deletedLine::before': { content: '"− "', color: 'var(--danger)', fontWeight: '600' },
  '&.cm-merge-b .cm-deletedText, &.cm-merge-b .cm-changedText': { background: 'none', fontWeight: '600' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"…"' },
  '.cm-collapsedLines': { background: 'var(--surface) !important', color: 'var(--muted) !important' },
});

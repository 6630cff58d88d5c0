/** Shows hidden characters in the editor and in the view of changes as the rest of the console does. */
import { highlightSpecialChars, ViewPlugin } from '@codemirror/view';
import { HIDDEN_CHARACTERS, visibleParts, visibleText } from '../../../../../text-kit/index.ts';

function symbolElement(symbol: string): HTMLElement {
  const element = document.createElement('span');
  element.className = 'cm-specialChar';
  element.textContent = symbol;
  return element;
}

export const HIDDEN_CHARACTERS_SHOWN = highlightSpecialChars({
  specialChars: HIDDEN_CHARACTERS,
  render: (code) => symbolElement(visibleText(String.fromCodePoint(code))),
});

function showCharacters(line: Element): void {
  if (line.textContent.search(HIDDEN_CHARACTERS) === -1) return;
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const texts: CharacterData[] = [];
  while (walker.nextNode() !== null) texts.push(walker.currentNode as CharacterData);
  for (const text of texts) {
    const parts = visibleParts(text.data, '\t');
    if (parts.some(({ isSymbol }) => isSymbol)) {
      text.replaceWith(...parts.map((part) => (part.isSymbol ? symbolElement(part.text) : part.text)));
    }
  }
}

/** Deleted lines are no text of the editor, whose own way of showing the characters leaves them out. */
export const DELETED_CHARACTERS_SHOWN = ViewPlugin.define((view) => {
  const shown = new WeakSet<Element>();
  const show = () =>
    view.requestMeasure({
      read: () => [...view.contentDOM.querySelectorAll('.cm-deletedLine')].filter((line) => !shown.has(line)),
      write: (lines) => {
        for (const line of lines) {
          shown.add(line);
          showCharacters(line);
        }
      },
    });
  show();
  return { update: show };
});

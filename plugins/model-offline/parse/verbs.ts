/** Turns verbs that stand for rows into what a sentence with a noun would say: "borrowed 3 times" into "with 3 loans". */
import { isDated } from '../words/lexicon.ts';
import type { Item } from '../words/link.ts';

/** An item with content, and the words without content before it. */
export type Content = Item & { readonly lead: readonly string[] };

const having = (item: Content): Content => ({ ...item, kind: 'operator', meanings: [], operator: { op: 'with' } });
const opOf = (item: Content | undefined): string => item?.operator?.op ?? '';
const wordOf = (item: Content | undefined): string => item?.tokens[0]?.word ?? '';
const isOver = (item: Content | undefined): boolean =>
  !item || item.time !== undefined || /^(group|by|grain|all|order)$/.test(opOf(item));

/** Says with nouns what verbs say: "borrowed anything", "rented at least 8 times", "borrowed the most". */
export function withNouns(items: readonly Content[]): Content[] {
  const out: Content[] = [];
  let lead: readonly string[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = { ...items[at]!, lead: [...lead, ...items[at]!.lead] };
    lead = [];
    const rows = (item.verb ?? item.meanings).filter((one) => one.kind === 'entity');
    const isVerb = rows.length > 0 && (item.verb ?? item.meanings).every(({ rank }) => rank === 0);
    const noun: Content = { ...item, kind: 'names', meanings: rows };
    const [next, second, third] = items.slice(at + 1);
    const isDenied = /^(not|without)$/.test(opOf(out.at(-1)));
    const isTimes = opOf(next) === 'comparator' && second?.kind === 'number' && wordOf(third) === 'times';
    const isMost = /^(most|fewest|least)$/.test(wordOf(next)) && isOver(second);
    const bare: Content = { ...noun, lead: [] };
    // "between issue and payment"
    const dates = item.verb?.filter(isDated) ?? [];
    if (dates.length > 0 && (opOf(out.at(-1)) === 'between' || /^(from|to)$/.test(item.lead.at(-1) ?? ''))) {
      out.push({ ...item, kind: 'names', meanings: dates });
      continue;
    }
    if (isVerb && isTimes && opOf(out.at(-1)) === 'with') out.pop();
    if (isVerb && opOf(next) === 'thing') out.push(...(isDenied ? [] : [having(item)]), bare);
    else if (isVerb && isTimes) out.push(having(item), next!, second, bare);
    else if (isVerb && (isMost || (opOf(next) === 'more' && /often/.test(next!.text)))) out.push(next!, bare);
    else if (isVerb && isDenied && isOver(next)) out.push(bare);
    else {
      if (item.verb) lead = [...item.lead, wordOf(item)];
      else out.push(item);
      continue;
    }
    at += isTimes ? 3 : isDenied && isOver(next) ? 0 : 1;
  }
  return out;
}

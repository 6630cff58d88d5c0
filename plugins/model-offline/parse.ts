/** Linked items to a draft, from left to right. What finds no place is returned, never dropped. */
import type { Draft } from './draft.ts';
import type { Meaning } from './lexicon.ts';
import type { Item } from './link.ts';
import { isNamed, type RoleOf } from './mentions.ts';
import type { Parsed } from './parse-end.ts';
import { ValueParser } from './parse-values.ts';
import type { Operator } from './vocabulary.ts';

export type { Parsed } from './parse-end.ts';

export const parse = (items: readonly Item[], roleOf: RoleOf): Parsed => new Parser(items, roleOf).run();

const MARKERS = new Set(['are', 'were', 'is', 'was', 'be', 'been', 'get', 'got', 'come', 'comes', 'came']);
const REFERENCES: Readonly<Record<string, Draft['followUp']>> = {
  only: 'refine',
  same: 'refine',
  instead: 'replace',
  also: 'add',
  about: 'refine',
};

class Parser extends ValueParser {
  run(): Parsed {
    while (this.at < this.items.length) {
      const before = this.at;
      this.step(this.items[this.at]!);
      if (this.at === before) this.at++;
      while (this.conditionsBefore.length < this.wants.length) this.conditionsBefore.push(this.conditions.length);
    }
    return this.finish();
  }

  protected step(item: Item): void {
    switch (item.kind) {
      case 'filler':
        if (MARKERS.has(item.tokens[0]!.word) && (this.head || this.wants.length > 0)) this.mark();
        return;
      case 'time':
        this.time(item);
        return;
      case 'names':
        this.names(item);
        return;
      case 'operator':
        item.meanings.length > 0 && this.readsAsName(item) ? this.names(item) : this.operator(item);
        return;
      case 'number':
        this.number(item);
        return;
      default:
        this.literal(item);
    }
  }

  /** A word that is both a name and an operator ("total", "number") is a name where a condition or a group is read. */
  protected readsAsName(item: Item): boolean {
    const after = this.peek();
    if (item.operator!.op === 'which' || item.operator!.op === 'that') return false;
    const before = this.items[this.at - 1];
    if (this.op(after) === 'comparator' || this.op(after) === 'null') return true;
    if (this.with !== undefined && item.operator!.op !== 'rank') return true;
    if (item.operator!.op === 'grain' || item.operator!.op === 'rank') return false;
    return (
      before?.kind === 'operator' && ['by', 'group', 'each', 'rank'].includes(before.operator!.op) && !isNamed(after)
    );
  }

  protected operator(item: Item): void {
    // "in 2025 and in 2026": no new question.
    const isMidway = item.operator!.op === 'about' && item.tokens[0]!.word === 'and' && this.at > 0;
    const operator: Operator = isMidway ? { op: 'and' } : item.operator!;
    if (item.tokens[0]!.word === 'who' && !this.head && this.wants.length === 0) this.who = true;
    switch (operator.op) {
      case 'aggregate':
        if (this.fn === 'sum' || (this.fn === 'count' && operator.fn === 'sum') || this.fn === undefined) {
          if (this.fn !== 'count') this.fn = operator.fn;
          this.fnItem = item;
        } else if (operator.fn === 'count' && this.peek() && isNamed(this.peek())) return;
        else this.unplaced.push(item);
        return;
      case 'distinct':
        if (this.fn === 'count' || this.fn === undefined) {
          this.fn = this.fn === undefined && (this.listing || this.which) ? undefined : 'count_distinct';
          this.fnItem = item;
        } else this.unplaced.push(item);
        return;
      case 'by':
      case 'group':
      case 'each':
        this.group(item);
        return;
      case 'with':
        if (item.tokens[0]!.word === 'who' && !this.head && this.wants.length === 0) {
          this.who = true;
          return;
        }
        this.mark();
        if (!this.adjectiveNoun(false)) this.with = 'with';
        return;
      case 'without':
        this.mark();
        this.withItem = item;
        if (!this.adjectiveNoun(true)) this.with = 'without';
        return;
      case 'not':
        if (this.with === 'with') this.with = undefined;
        this.mark();
        if (['no', 'never'].includes(item.tokens[0]!.word) && this.adjectiveNoun(true)) return;
        this.not = item;
        return;
      case 'or':
        // "either … or …": the second word says it all.
        if (item.tokens[0]!.word === 'either' && this.items.slice(this.at + 1).some((other) => this.op(other) === 'or'))
          return;
        this.or = true;
        this.isJoined = true;
        this.orItem = item;
        return;
      case 'share':
        this.share = true;
        return;
      case 'rate':
        this.rate = item;
        return;
      case 'versus':
        this.versus = 'named';
        this.isJoined = true;
        this.awaitAgainst = true;
        return;
      case 'compare':
        this.versus = 'named';
        return;
      case 'change':
        this.versus ??= 'change';
        return;
      case 'change-by':
        this.versus = operator.grain;
        return;
      case 'list':
        this.listing = true;
        return;
      case 'which':
      case 'that':
        if (this.head || this.wants.length > 0) {
          this.mark();
          this.relative = true;
        } else this.which = true;
        return;
      case 'whose':
        this.mark();
        return;
      case 'when':
        this.when = true;
        return;
      case 'null':
        this.null(item);
        return;
      case 'over-time':
        this.at = this.grain('month', this.at + 1);
        return;
      case 'comparator':
      case 'between': {
        const end = this.amount(this.at, undefined, this.not !== undefined);
        this.not = undefined;
        if (end !== undefined) this.at = end;
        else if (item.tokens[0]!.word !== 'from') this.unplaced.push(item);
        this.with = undefined;
        return;
      }
      case 'rank':
        this.ranking(item, operator);
        return;
      case 'direction':
        if (this.rank) this.rank = { ...this.rank, direction: operator.direction };
        else this.unplaced.push(item);
        return;
      case 'sort':
        this.sort(item);
        return;
      case 'grain':
        if (operator.grouping || this.which || this.rank) {
          this.at = this.grain(operator.grain, this.at + 1);
          if (operator.grouping) this.moreGroups();
          this.which = false;
        } else this.unplaced.push(item);
        return;
      case 'only':
      case 'same':
      case 'instead':
      case 'also':
      case 'about':
        this.followUp = REFERENCES[operator.op]!;
        return;
      case 'and':
        this.isJoined = true;
        if (this.at === 0) this.followUp = 'refine';
        else this.joint = this.joinsFigures();
        return;
      case 'amount':
        this.amountWord(item);
        return;
      case 'new':
        this.isNew = item;
        return;
      case 'breakdown': {
        const column = this.columns.pop();
        if (!column) return;
        this.groups.push({ mention: column });
        this.head ??= {
          ...column,
          plural: true,
          meanings: column.meanings.flatMap((meaning): Meaning[] =>
            meaning.kind === 'dimension' ? [{ kind: 'entity', entity: meaning.entity, rank: 3 }] : [],
          ),
        };
        return;
      }
      case 'all':
        this.all = true;
        return;
    }
  }

  /** Whether the figure was the last thing said: "visits and prescriptions", not "visits in Berlin and". */
  protected joinsFigures(): boolean {
    const before = this.items[this.at - 1];
    return (
      this.wants.length > 0 &&
      before !== undefined &&
      this.placed.has(before) &&
      this.wants.at(-1)!.mention.text.endsWith(before.text)
    );
  }

  /** "total value of lost orders": the amount that the rows have. */
  protected amountWord(item: Item): void {
    const fn = this.fn;
    if (fn !== undefined && fn !== 'count' && fn !== 'count_distinct') {
      this.fn = undefined;
      this.wants.push({ fn, mention: { text: item.text, meanings: [], plural: false } });
    } else this.amountItem = item;
  }
}

/** Conditions on numbers, and on what is missing. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import { best } from './choosing.ts';
import type { Condition, Mention } from './draft.ts';
import { amountsOf, isIn, numbersCalled, numbersOf } from './entity-traits.ts';
import { isEntity } from './figure-rules.ts';
import { isTime } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { ValueResolver } from './resolve-values.ts';
import { type Dimension, full, spoken } from './resolver-base.ts';
import { primaryDates } from './time-dimension.ts';
import { nameWords, stem } from './words.ts';

export abstract class AmountResolver extends ValueResolver {
  protected compare(condition: Extract<Condition, { type: 'compare' }>): void {
    const { mention, comparator, value } = condition;
    if (mention === undefined) {
      const { unit } = condition;
      const amounts = condition.of
        ? this.calledAmounts(condition.of, unit, condition.text)
        : unit === undefined
          ? amountsOf(this.base!)
          : numbersOf(this.base!).filter((item) =>
              nameWords(`${item.name} ${item.description ?? ''}`)
                .map(stem)
                .includes(unit),
            );
      if (amounts.length === 0) throw new Refuse([unit === undefined ? condition.text : `${condition.text} ${unit}`]);
      const dimension = choose(
        this.context.chosen,
        `amount:${this.base!.name}`,
        `Which figure of ${this.base!.many} is meant with ${condition.text}?`,
        amounts.map((item) => ({ value: item, label: spoken(item.name) })),
      );
      this.filter({ dimension: `${this.base!.name}.${dimension.name}`, operator: comparator, values: [value] });
      return;
    }
    if (condition.fn !== undefined) {
      this.compareFigure(condition, mention);
      return;
    }
    const named = this.dimensionCandidates(mention).filter((item) => item.dimension.type === 'number');
    const dimensions = [...named, ...this.ownPrices(mention, named)];
    const measures = mention.meanings.filter((meaning) => meaning.kind === 'measure');
    const grouped =
      (this.plan.dimensions ?? []).length > 0 && (this.plan.measures ?? this.plan.adhocMeasures) !== undefined;
    const isFigure =
      measures.length > 0 &&
      (dimensions.length === 0 ||
        (grouped &&
          !this.isOfRow(mention, condition.ofRow) &&
          best(mention.meanings).some((meaning) => meaning.kind === 'measure')));
    if (isFigure) {
      const figure = this.figure({ mention: { ...mention, meanings: measures } });
      if (grouped) {
        this.plan.measureFilters = [
          ...(this.plan.measureFilters ?? []),
          { measure: figure.name!, operator: comparator, value },
        ];
        return;
      }
      this.plan.related = [
        ...(this.plan.related ?? []),
        { of: this.base!.name, entity: figure.entity.name, measure: figure.name!, operator: comparator, value },
      ];
      return;
    }
    if (dimensions.length === 0) throw new Refuse([mention.text], `"${mention.text}" is not a number.`);
    const item = choose(
      this.context.chosen,
      `dimension:${mention.text.toLowerCase()}`,
      `Which "${mention.text}" do you mean?`,
      dimensions.map((d) => ({ value: d, label: `${spoken(d.dimension.name)} of ${d.entity.many}` })),
    );
    this.filter({ dimension: full(item), operator: comparator, values: [value] });
  }

  /** "an average fee over 100" of each group, or of the rows related to each row. */
  protected compareFigure(condition: Extract<Condition, { type: 'compare' }>, mention: Mention): void {
    const { comparator, value } = condition;
    const figure = this.figure({ ...(condition.fn && { fn: condition.fn }), mention });
    const name = figure.name ?? figure.adhoc!.name;
    const isAsked =
      this.plan.measures?.includes(name) || this.plan.adhocMeasures?.some((item) => item.name === name) === true;
    if ((this.plan.dimensions ?? []).length > 0 && isAsked) {
      this.plan.measureFilters = [...(this.plan.measureFilters ?? []), { measure: name, operator: comparator, value }];
      return;
    }
    if (figure.name === undefined) throw new Refuse([mention.text]);
    this.plan.related = [
      ...(this.plan.related ?? []),
      { of: this.base!.name, entity: figure.entity.name, measure: name, operator: comparator, value },
    ];
  }

  /** "heavier than 10 kg": what it names, if it counts in that unit. */
  protected calledAmounts(of: readonly string[], unit: string | undefined, text: string): ModelDimension[] {
    const called = numbersCalled(this.base!, of);
    const fitting = unit === undefined ? called : called.filter((item) => isIn(item, unit));
    if (fitting.length > 0) return fitting;
    if (called.length === 0) throw new Refuse([text], `I cannot tell which ${of[0]} of ${this.base!.many} is meant.`);
    throw new Refuse(
      [text],
      `I do not know whether the ${spoken(called[0]!.name)} of ${this.base!.many} is in ${unit}s; leave the unit out.`,
    );
  }

  protected null(condition: Extract<Condition, { type: 'null' }>): void {
    const item = this.dimension(condition.mention);
    if (!condition.negated && this.distance(this.base!, item.entity) === undefined) {
      this.noneGiven(item);
      return;
    }
    const head = this.draft.head;
    const values = head && !isEntity(head) ? head : head ? undefined : this.draft.columns[0];
    if (!condition.negated && condition.orZero && values && this.draft.wants.length === 0)
      throw new Refuse([condition.mention.text], `I can look for rows without it, not for each ${values.text}.`);
    const isZero = condition.orZero && item.dimension.type === 'number' && !(item.dimension.null_count ?? 0);
    const name = spoken(item.dimension.name);
    const way = isZero
      ? choose(this.context.chosen, `zero:${full(item)}`, `What do you mean by no ${name}?`, [
          { value: 'missing', label: `${name} is missing` },
          { value: 'zero', label: `${name} is 0` },
        ])
      : 'missing';
    if (way === 'zero') {
      this.filter({ dimension: full(item), operator: 'equals', values: [0] });
      return;
    }
    const primary = primaryDates(this.base!);
    // "orders placed in Berlin": every row has its own first date.
    if (
      isTime(item.dimension) &&
      condition.negated &&
      item.entity === this.base &&
      primary.length === 1 &&
      primary[0] === item.dimension
    )
      return;
    if (isTime(item.dimension) && condition.negated && item.entity === this.base)
      this.events.push({ ...item, isCertain: true });
    this.filter({ dimension: full(item), operator: condition.negated ? 'is_not_null' : 'is_null' });
  }

  /** "customers without a rating": no related row has one. */
  protected noneGiven(item: Dimension): void {
    if (this.distance(item.entity, this.base!) === undefined)
      throw new Refuse(
        [],
        `I cannot relate ${spoken(item.dimension.name)} of ${item.entity.many} to ${this.base!.many}.`,
      );
    this.plan.related = [
      ...(this.plan.related ?? []),
      {
        of: this.base!.name,
        entity: item.entity.name,
        operator: 'equals',
        value: 0,
        filters: [{ dimension: full(item), operator: 'is_not_null' }],
      },
    ];
  }
}

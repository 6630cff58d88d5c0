/** Asks for the condition under which the answer of a schedule is delivered, and says it in words. */
import type { ScheduledTask } from '../../../scheduler/index.ts';
import { filled, numbers } from './request-body.ts';
import type { FormField, Values } from './resource.ts';
import { ADMIN } from './texts.ts';

type DeliverWhen = ScheduledTask['deliverWhen'];

const T = ADMIN.schedules;
const MODES = Object.entries(T.modes).map(([value, label]) => ({ value, label }));
const OPERATORS = Object.entries(T.operators).map(([value, label]) => ({ value, label }));

const modeOf = (values: Values) => values['deliverWhen.mode'] ?? '';
const isThreshold = (values: Values) => modeOf(values) === 'threshold';
const looksAtColumn = (values: Values) => isThreshold(values) || modeOf(values) === 'unusual';

export function conditionFields({ mode, column = '', operator = '>', value }: DeliverWhen): readonly FormField[] {
  return [
    { name: 'deliverWhen.mode', label: T.deliverWhen, options: MODES, hint: T.deliverWhenHint, value: mode },
    {
      name: 'deliverWhen.column',
      label: T.column,
      maxLength: 200,
      hint: T.columnHint,
      value: column,
      isShown: looksAtColumn,
    },
    { name: 'deliverWhen.operator', label: T.operator, options: OPERATORS, value: operator, isShown: isThreshold },
    {
      name: 'deliverWhen.value',
      label: T.threshold,
      isRequired: true,
      value: value === undefined ? '' : String(value),
      isShown: isThreshold,
    },
  ];
}

/** Fields of another mode are left out, whatever was in them. */
export function conditionOf(values: Values): object {
  const { 'deliverWhen.column': column } = looksAtColumn(values) ? filled(values, ['deliverWhen.column']) : {};
  const { 'deliverWhen.value': value } = numbers(values, ['deliverWhen.value']);
  return {
    mode: modeOf(values),
    ...(column !== undefined && { column }),
    ...(isThreshold(values) && { operator: values['deliverWhen.operator'], value }),
  };
}

export function conditionText({ mode, column, operator, value }: DeliverWhen): string {
  const where = column === undefined ? '' : `: ${column}`;
  return T.modes[mode] + where + (operator === undefined ? '' : `${where === '' ? ':' : ''} ${operator} ${value}`);
}

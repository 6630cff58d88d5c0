/** Describes an area of the administration as a value: its list, its columns, filters, forms and commands. */
import type { ReactNode } from 'react';
import type { ApiRequest } from '../api/client.ts';

/** What a form or a filter holds, by the names of its fields. Several choices are separated by commas. */
export type Values = Readonly<Record<string, string>>;

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Choices that the server knows. */
export interface OptionSource {
  readonly path: string;
  options(data: unknown): readonly Option[];
}

export interface FormField {
  /** As in the body of the request, by which the server's objections find their field. */
  readonly name: string;
  readonly label: string;
  readonly kind?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local' | 'search' | 'multiline';
  /** One of them is chosen; or several where `isMultiple`. */
  readonly options?: readonly Option[] | OptionSource;
  readonly isMultiple?: boolean;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly value?: string;
  /** Default: always. */
  isShown?(values: Values): boolean;
  /** Shown below the field, such as the meaning of what stands in it. */
  explain?(values: Values): ReactNode;
}

export interface Command extends ApiRequest {
  readonly path: string;
}

/** What a person can do: at once, or after a dialog that asks again in words, with a form where there are fields. */
export interface Action {
  /** The verb, which the last button of the dialog repeats. */
  readonly label: string;
  /** In the menu, where that is another one. */
  readonly menuLabel?: string;
  readonly title?: string;
  readonly text?: string;
  readonly fields?: readonly FormField[];
  readonly isDanger?: boolean;
  /** Runs without a dialog. */
  readonly isImmediate?: boolean;
  command(values: Values): Command;
  /** What came of it, where the list does not show it. */
  done?(result: unknown, values: Values): ReactNode;
}

export interface Column<Row> {
  readonly label: string;
  readonly isNumber?: boolean;
  cell(row: Row): ReactNode;
}

export interface Resource<Row> {
  readonly title: string;
  readonly intro?: string;
  /** The address of the list, which takes `limit` and `offset` where it has pages. */
  readonly path: string;
  /** The key of the rows in the answer. */
  readonly key: string;
  readonly hasPages?: boolean;
  /** Whether the row changes by itself: the list is read again until none does. */
  isChanging?(row: Row): boolean;
  /** Sent beside the filters. */
  readonly query?: Values;
  readonly filters?: readonly FormField[];
  readonly columns: readonly Column<Row>[];
  /** How a row is called: in its menu and its dialogs. */
  nameOf(row: Row): string;
  idOf(row: Row): string;
  readonly create?: Action;
  /** `rows`: those that are shown. */
  actionsOf?(row: Row, rows: readonly Row[]): readonly Action[];
  /** Shown below the row when it is opened; `start` runs an action of a part of it. */
  detail?(row: Row, start: (action: Action) => void): ReactNode;
  readonly empty: string;
}

/** Declares what the thread that parses long files is given, and what it answers. */
import type { LayerFile } from './layer-file.ts';
import type { Place } from './places.ts';
import type { Path, Position } from './yaml.ts';

export interface Tasks {
  readonly parse: {
    readonly given: { readonly found: Place & { readonly path: string }; readonly text: string };
    readonly result: LayerFile;
  };
  readonly positions: {
    readonly given: { readonly text: string; readonly paths: readonly Path[] };
    readonly result: readonly Position[];
  };
  readonly withConnection: {
    readonly given: { readonly text: string; readonly connection: string };
    readonly result: string;
  };
}

export type Task = {
  [Kind in keyof Tasks]: { readonly kind: Kind; readonly given: Tasks[Kind]['given'] };
}[keyof Tasks];

export interface Answer {
  readonly result?: unknown;
  readonly error?: string;
}

/** Does what takes long with texts of files, in the server itself or in a worker thread. */
import { type LayerFile, parseLayerFile } from './layer-file.ts';
import type { Place } from './places.ts';
import { type Path, type Position, positionsOf, withConnection } from './yaml.ts';

export interface PlacedText extends Place {
  readonly path: string;
  readonly text: string;
}

export interface LocatedText {
  readonly text: string;
  readonly paths: readonly Path[];
}

export interface EntityText {
  readonly text: string;
  readonly connection: string;
}

export const parse = (files: readonly PlacedText[]): LayerFile[] =>
  files.map((file) => parseLayerFile(file, file.text));

export const positions = (files: readonly LocatedText[]): Position[][] =>
  files.map(({ text, paths }) => positionsOf(text, paths));

export const withConnections = (files: readonly EntityText[]): string[] =>
  files.map(({ text, connection }) => withConnection(text, connection));

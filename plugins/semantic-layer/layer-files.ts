/** Shows administrators the files of a layer as they are written. */
import { AtlasError, messageOf } from '../../kernel/index.ts';
import type { LayerFile } from './files/layer-file.ts';
import { placeOf } from './files/places.ts';
import { readLayerBytes } from './files/scan.ts';
import type { SemanticModel } from './model.ts';

/** A layer as it was last loaded. */
export interface LayerFiles {
  readonly model: SemanticModel;
  /** In a stable order, the default source first; those that cannot be used have problems and may have no items. */
  readonly files: readonly LayerFile[];
}

/** A file that is too large to be used is shown up to this size, so that it can be mended. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
/** Ways to lead out of a folder, also where a part is decoded once more or its characters are replaced by similar ones. */
const LEADS_ELSEWHERE = /\.\.|\\|%[0-9a-f]{2}|^[./~]/i;

/** Whether a layer may have a file of this path. */
export function isLayerPath(path: string): boolean {
  const plain = path.normalize('NFKC');
  return [path, plain].every((text) => placeOf(text) !== undefined && !LEADS_ELSEWHERE.test(text));
}

function refusal(message: string): AtlasError {
  return new AtlasError(message, {
    code: 'invalid_request',
    reason: 'E_SEMANTIC_PATH',
    hint: 'GET /api/v1/admin/semantic/entities lists the files of the entities.',
  });
}

/** See `SemanticLayerApi.readFile`. */
export function readFile(root: string, path: string): Buffer | undefined {
  if (!isLayerPath(path)) {
    throw refusal(
      'This is no path of a semantic layer: expected catalog.yml, glossary.yml, entities/<name>.yml, metrics/<name>.yml or verified/<name>.yml, alone or in the folder of a source.',
    );
  }
  try {
    return readLayerBytes(root, path, MAX_SHOWN_BYTES);
  } catch (error) {
    throw refusal(`The file ${path} cannot be shown: ${messageOf(error)}`);
  }
}

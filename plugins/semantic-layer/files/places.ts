/** Says where in a layer files stand, and what they hold there. */

export type FileKind = 'catalog' | 'glossary' | 'entity' | 'metrics' | 'verified';

export const TOP_LEVEL_KINDS: Readonly<Record<string, FileKind>> = { catalog: 'catalog', glossary: 'glossary' };
export const FOLDER_KINDS: Readonly<Record<string, FileKind>> = {
  entities: 'entity',
  metrics: 'metrics',
  verified: 'verified',
};

/** Folder of the layers of organizations, each in a folder of its id. */
export const ORGANIZATIONS_FOLDER = '.orgs';
export const ORGANIZATION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A name that every file system takes: no separator, no control character, no leading dot. */
const NAME = String.raw`[^\p{C}/\\:*?"<>|.\s][^\p{C}/\\:*?"<>|]{0,119}`;
// Windows takes dots and spaces from the end of a folder's name, and these names for devices, whatever their ending.
const LAYER_PATH = new RegExp(
  `^(?:(${NAME})(?<![.\\s])/)?(?:(catalog|glossary)|(entities|metrics|verified)/${NAME})\\.ya?ml$`,
  'u',
);
const DEVICE = /(?:^|\/)(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])\s*(?:\.|\/)/i;
const MAX_NAME_BYTES = 255;

export interface Place {
  readonly kind: FileKind;
  /** `default`, or the name of the source's own folder. */
  readonly source: string;
}

/** What the file of a layer with this relative path is; `undefined`: no layer has such a file. */
export function placeOf(path: string): Place | undefined {
  const [found, source = 'default', top, folder = ''] = LAYER_PATH.exec(path) ?? [];
  if (found === undefined || DEVICE.test(path)) return undefined;
  if (source in FOLDER_KINDS || path.startsWith('default/')) return undefined;
  if (path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) return undefined;
  const kind = top === undefined ? FOLDER_KINDS[folder] : TOP_LEVEL_KINDS[top];
  return kind && { kind, source };
}

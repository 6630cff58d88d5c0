/** Holds a file of the layer in a form that an editor takes, and gives it back as it was. */

/** A file as it is stored. */
export interface StoredFile {
  /** Its lines end as `\n`. */
  readonly text: string;
  /** How they end in the file. */
  readonly lineEnd: string;
  /** For a change that must not overwrite another one; `undefined`: there is no such file yet. */
  readonly version: string | undefined;
}

export const storedFile = (text: string, version: string): StoredFile => ({
  text: text.replaceAll('\r\n', '\n'),
  lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
  version,
});

export const NEW_FILE: StoredFile = { text: '', lineEnd: '\n', version: undefined };

/** The text with the ends of lines that the file had. */
export const contentOf = (text: string, { lineEnd }: StoredFile): string => text.replaceAll('\n', lineEnd);

/** Says which paths may be those of files, as they come from the address of the page. */

/** A part such as `..` would lead the request for the file to another address of the API. */
export const isFilePath = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && !part.startsWith('.'));

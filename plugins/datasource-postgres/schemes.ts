/** Declares the schemes of the URLs that this plugin opens. */
import { FLAVORS } from './flavors/flavors.ts';

export const POSTGRES_SCHEMES: readonly string[] = FLAVORS.flatMap(({ schemes }) => schemes);

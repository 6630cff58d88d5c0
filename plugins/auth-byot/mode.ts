/** Declares the authentication mode of this plugin. */
export const BYOT_MODE = { name: 'byot' } as const;

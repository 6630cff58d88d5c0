/** Declares the authentication mode of this plugin. */
export const MANAGED_MODE = { name: 'managed' } as const;

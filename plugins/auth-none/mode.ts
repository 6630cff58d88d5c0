/** Declares the authentication mode of this plugin. */
export const NONE_MODE = { name: 'none', isOpen: true } as const;

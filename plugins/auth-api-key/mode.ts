/** Declares the authentication mode of this plugin. */
export const API_KEY_MODE = { name: 'api-key', aliases: ['simple-key'] } as const;

/** Declares the schemes of the URLs that this plugin opens. */
export const MYSQL_SCHEMES = ['mysql', 'mariadb'] as const;

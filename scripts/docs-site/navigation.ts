/** Lists the pages of the documentation by kind of user: the menus and the start page of its site. */

export interface Section {
  readonly title: string;
  /** For whom it is, and what they find. */
  readonly summary: string;
  /** Files of the repository; the first is where these readers begin. */
  readonly pages: readonly string[];
}

export const NAVIGATION: readonly Section[] = [
  {
    title: 'Ask questions',
    summary: 'For analysts: ask in your own words, check what ran, and keep and share the answer.',
    pages: [
      'docs/first-question.md',
      'docs/web-console.md',
      'docs/charts.md',
      'docs/scheduled-questions.md',
      'docs/exports.md',
      'docs/mcp.md',
      'docs/cli.md',
      'docs/demo-data.md',
    ],
  },
  {
    title: 'Run a server',
    summary: 'For operators: from an empty folder to a server with authentication, probes and backups.',
    pages: [
      'docs/first-server.md',
      'docs/configuration.md',
      'docs/authentication.md',
      'docs/single-sign-on.md',
      'docs/deployment.md',
      'docs/scaling.md',
      'docs/operations.md',
      'docs/security.md',
      'docs/models.md',
      'docs/result-cache.md',
      'docs/usage-and-budgets.md',
      'docs/benchmarks.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Administer',
    summary: 'For administrators: users, connections, the semantic layer, rules and actions of an organization.',
    pages: [
      'docs/administration.md',
      'docs/semantic-layer.md',
      'docs/verified-queries.md',
      'docs/provenance.md',
      'docs/evaluation.md',
      'docs/connections.md',
      'docs/postgres-engines.md',
      'docs/approval-rules.md',
      'docs/actions.md',
      'docs/delivery.md',
      'docs/webhook.md',
    ],
  },
  {
    title: 'Compose a build',
    summary: 'For teams that put their own server together: choose the plugins, and nothing else runs.',
    pages: ['docs/composing-a-build.md', 'docs/plugins.md', 'docs/http-api.md', 'examples/README.md'],
  },
  {
    title: 'Write a plugin',
    summary: 'For authors of plugins: a first plugin with its test, then one of each type.',
    pages: [
      'docs/writing-a-plugin.md',
      'docs/plugins/README.md',
      'docs/plugins/datasource.md',
      'docs/plugins/context.md',
      'docs/plugins/interaction.md',
      'docs/plugins/action.md',
      'docs/plugins/sandbox.md',
      'docs/hooks.md',
      'docs/writing-a-datasource.md',
    ],
  },
  {
    title: 'Contribute',
    summary: 'For those who change Atlas itself, and release it.',
    pages: [
      'CONTRIBUTING.md',
      'docs/extending.md',
      'docs/adding-an-sql-engine.md',
      'kernel/README.md',
      'docs/releasing.md',
    ],
  },
];

/** Builds the HTML pages that links in mails lead to: complete in one file, and with no script but the one that belongs to them. */
import { createHash } from 'node:crypto';
import type { RouteReply } from '../../../kernel/index.ts';
import { SCRIPT, STYLE } from './assets.ts';

/** Text that is HTML already. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** HTML in which every value is escaped unless it was made by this function, too. */
export function html(literals: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  const shown = values.map((value) => {
    if (typeof value === 'string') return escaped(value);
    return [value]
      .flat()
      .map(({ text }) => text)
      .join('');
  });
  return new Html(String.raw({ raw: literals }, ...shown));
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${hashOf(SCRIPT)}`,
    `style-src ${hashOf(STYLE)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

interface PageInit {
  /** What the page says once its form has done its work. */
  readonly done?: string;
  /** Where it then leads on to. */
  readonly home?: string | undefined;
  readonly status?: number;
}

export function page(title: string, content: Html, { done = '', home, status = 200 }: PageInit = {}): RouteReply {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<div id="content">
${content}
<p role="alert" id="problem"></p>
<noscript><p>This page needs JavaScript, which your browser does not run.</p></noscript>
</div>
<p role="status" id="done" data-text="${done}"></p>
${home === undefined ? [] : html`<p id="onward" hidden><a href="${home}">Go on to Atlas</a></p>`}
</main>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`;
  return { status, headers: HEADERS, body: text };
}

/** For a link that leads nowhere, or nowhere any more. */
export const notValid = (what: string) =>
  page('This link is not valid', html`<p>${what} It may have expired, or have been used already.</p>`, { status: 404 });

/** Configures the documentation site: menus, links between files of the repository, and what the policy of its server asks for. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import type { DefaultTheme, SiteConfig, UserConfig } from 'vitepress';
import { bundledNotices } from '../bundled-notices.ts';
import { NAVIGATION, type Section } from './navigation.ts';
import { headingAnchor, linkOnSite, pathOnSite, sourcePages, titleOf } from './pages.ts';

type Markdown = Parameters<NonNullable<NonNullable<UserConfig['markdown']>['config']>>[0];

const { version, description } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
const sources = new Map(sourcePages().map((source) => [pathOnSite(source), source]));
const pages = new Set(sources.values());
/** `0.2.0=https://docs.example.com/0.2.0/`, separated by spaces: other versions of the site. */
const otherVersions = (process.env.ATLAS_DOCS_VERSIONS ?? '').split(' ').filter((item) => item !== '');

const itemOf = (source: string) => ({ text: titleOf(source), link: `/${pathOnSite(source)}` });

const sidebarOf = ({ title, pages: sectionPages }: Section): DefaultTheme.SidebarItem => ({
  text: title,
  collapsed: true,
  items: sectionPages.map(itemOf),
});

const versions: DefaultTheme.NavItem = {
  text: version,
  items: [
    { text: 'Changelog', link: '/CHANGELOG.md' },
    ...otherVersions.map((item) => {
      const [text = '', link = ''] = item.split('=', 2);
      return { text, link, target: '_self', rel: '' };
    }),
  ],
};

/** Leads links between files of the repository to their pages; to a file that is no page, only the text is left. */
function linkPages(md: Markdown): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const source = sources.get(env.relativePath);
    if (source === undefined) return;
    for (const token of tokens) {
      let isRemoved = false;
      token.children = (token.children ?? []).filter((child) => {
        const name = child.type === 'image' ? 'src' : 'href';
        const link = child.attrGet(name);
        if (link !== null && !/^(?:[a-z]+:|#|\/)/.test(link)) {
          const isImage = child.type === 'image';
          const onSite = linkOnSite(source, link, isImage ? new Set([join(source, '..', link)]) : pages);
          if (onSite === undefined) isRemoved = true;
          else child.attrSet(name, onSite);
        }
        if (!isRemoved || !child.type.startsWith('link_')) return true;
        isRemoved = child.type !== 'link_close';
        return false;
      });
    }
  });
}

/** Names the file that a block shows, which its fence has behind the language. */
function nameFiles(md: Markdown): void {
  md.core.ruler.push('file-names', (state) => {
    state.tokens = state.tokens.flatMap((token) => {
      const [, file] = token.type === 'fence' ? token.info.trim().split(' ') : [];
      if (file === undefined) return [token];
      const name = new state.Token('html_block', '', 0);
      name.content = `<p><code>${md.utils.escapeHtml(file)}</code></p>\n`;
      return [name, token];
    });
  });
}

/** Colours all of a block: on a busy machine half a second, the default, ends within a line, and the bytes differ. */
const untimed = {
  preprocess(_code: string, options: { tokenizeTimeLimit?: number }) {
    options.tokenizeTimeLimit = 0;
  },
};

/** Styles of code in a file, where they would stand in attributes, which the policy of the server refuses. */
const codeStyles = transformerStyleToClass({ classPrefix: 'code-' });

/** Files of what VitePress would have in every page, by the path below the base. */
const extracted = new Map<string, string>();

/** In one order, whichever block was shown first. */
function codeRules(): string {
  const rules = [...codeStyles.getClassRegistry()].map(([name, style]) => {
    const declarations =
      typeof style === 'string'
        ? style
        : Object.entries(style)
            .map((pair) => pair.join(':'))
            .join(';');
    return `.${name}{${declarations}}`;
  });
  return rules.toSorted().join('');
}

function extract(extension: 'css' | 'js', content: string, { site }: SiteConfig): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  const path = `assets/page.${hash}.${extension}`;
  extracted.set(path, content);
  return site.base + path;
}

/** What stands in attributes of the default theme; scripts set the first anew when the page is alive. */
const THEME_STYLE = / style="(?:--vp-vh:0px;|position:relative;)?"/g;
const THEME_RULES = '.vp-doc{position:relative}';

/** The scripts of a page in one file, and no styles in attributes. */
function withoutInline(html: string, config: SiteConfig): string {
  const scripts: string[] = [];
  const rest = html.replace(/<script id="[\w-]+">([\s\S]*?)<\/script>/g, (_, script: string) => {
    scripts.push(script);
    return '';
  });
  const tag = `<script src="${extract('js', scripts.join(';\n'), config)}"></script>`;
  return rest.replace('</head>', `${tag}</head>`).replace(THEME_STYLE, '');
}

export default {
  title: 'Atlas',
  description,
  lang: 'en-US',
  srcDir: './pages',
  // One page after another: the index of the search has them in their order, and two builds have the same bytes.
  buildConcurrency: 1,
  // A script of its own, where another would stand in each page.
  metaChunk: true,
  // The transition would be a style that a script adds, which the policy refuses.
  appearance: { disableTransition: false },
  markdown: {
    // What looks like markup is text, such as the argument <file> of a command.
    html: false,
    // Most addresses in the text are examples.
    linkify: false,
    anchor: { slugify: headingAnchor },
    codeTransformers: [untimed, codeStyles],
    config(md) {
      linkPages(md);
      nameFiles(md);
    },
  },
  themeConfig: {
    nav: [{ text: 'Overview', link: '/README.md' }, versions],
    sidebar: NAVIGATION.map(sidebarOf),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  vite: { plugins: [bundledNotices()], build: { chunkSizeWarningLimit: 2_000 } },
  transformHead: ({ siteConfig }) => [
    ['link', { rel: 'stylesheet', href: extract('css', codeRules() + THEME_RULES, siteConfig) }],
  ],
  transformHtml: (html, _id, { siteConfig }) => withoutInline(html, siteConfig),
  buildEnd({ outDir }) {
    for (const [path, content] of extracted) writeFileSync(join(outDir, path), content);
  },
} satisfies UserConfig;

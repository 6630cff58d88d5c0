/** Reloads a page whose files are gone because the server was updated. */

const KEY = 'atlas.reloaded';

/** Once: where the new page fails as well, its failure is shown. */
export function reloadOnceAfterUpgrade(): void {
  addEventListener('vite:preloadError', (event) => {
    try {
      if (sessionStorage.getItem(KEY) === location.href) return;
      sessionStorage.setItem(KEY, location.href);
    } catch {
      return;
    }
    event.preventDefault();
    location.reload();
  });
}

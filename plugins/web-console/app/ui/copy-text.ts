/** Puts a text on the clipboard, also where the page was not reached by HTTPS. */

function copyByEvent(text: string): boolean {
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', onCopy, { capture: true });
  try {
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', onCopy, { capture: true });
  }
}

/** Whether the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByEvent(text);
  }
}

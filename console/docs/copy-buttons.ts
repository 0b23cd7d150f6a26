import { copyElementText, copyMessage } from '../ui/copy-text.ts';

const SHOWN_MS = 2000;

/** Adds a copy button to each code block. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    const said = document.createElement('span');
    said.className = 'hidden';
    said.setAttribute('role', 'status');
    button.addEventListener('click', async () => {
      button.textContent = said.textContent = copyMessage(await copyElementText(block.querySelector('code')!));
      setTimeout(() => {
        button.textContent = 'Copy';
        said.textContent = '';
      }, SHOWN_MS);
    });
    block.append(button, said);
  }
}

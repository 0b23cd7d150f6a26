import { render } from 'preact';
import './styles/base.css';
import './styles/controls.css';
import { App } from './shell/app.tsx';
import { takeKeyFromAddress } from './shell/key.ts';
import { applyTheme } from './shell/theme.ts';

applyTheme();
takeKeyFromAddress();
// Handles a link with a key that is opened while the console is already open.
addEventListener('hashchange', takeKeyFromAddress);
render(<App />, document.getElementById('app')!);

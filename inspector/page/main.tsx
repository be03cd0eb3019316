import { render } from 'preact';
import { App } from './app.js';
import { followAddress } from './address.js';
import { startPlayer } from './player.js';

render(<App />, document.getElementById('app')!);
startPlayer();
followAddress();

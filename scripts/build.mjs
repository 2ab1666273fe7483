// npm run build: makes pages and service where their sources have changed. npm start does it by itself.
import { buildServer } from "./build-server.mjs";
import { buildWeb } from "./build-web.mjs";

buildWeb();
buildServer();

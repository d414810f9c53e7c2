import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";
import Playground from "./Playground.vue";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("Playground", Playground);
  },
};
